"""How many GPU-hours the next months need, and how much of that to commit to."""

from gpuinfra.forecast.advice import CommitmentAdvice, advise
from gpuinfra.forecast.backtest import Trial
from gpuinfra.forecast.history import History, read
from gpuinfra.forecast.level import Rates

__all__ = ["CommitmentAdvice", "History", "Rates", "Trial", "advise", "read"]
