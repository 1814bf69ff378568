"""The forecast of GPU-hours for the next months, and the recommended commitment."""

from gpuinfra.forecast.advice import CommitmentAdvice, advise
from gpuinfra.forecast.backtest import Trial
from gpuinfra.forecast.history import History, read
from gpuinfra.forecast.level import GpuHourRates

__all__ = ["CommitmentAdvice", "GpuHourRates", "History", "Trial", "advise", "read"]
