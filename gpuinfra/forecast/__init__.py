"""The forecast of GPU-hours for the next months, and the recommended commitment."""

from gpuinfra.forecast.advice import CommitmentAdvice, advise
from gpuinfra.forecast.backtest import Trial
from gpuinfra.forecast.history import History, read
from gpuinfra.forecast.level import Rates

__all__ = ["CommitmentAdvice", "History", "Rates", "Trial", "advise", "read"]
