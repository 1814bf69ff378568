"""The forecast of GPU-hours for the next months, and the recommended commitment."""

from gpuinfra.forecast.backtest import Trial
from gpuinfra.forecast.commitment_advice import CommitmentAdvice, advise
from gpuinfra.forecast.commitment_level import GpuHourRates
from gpuinfra.forecast.usage_history import History, read_history

__all__ = ["CommitmentAdvice", "GpuHourRates", "History", "Trial", "advise", "read_history"]
