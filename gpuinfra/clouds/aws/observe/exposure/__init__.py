"""Reads what clients outside reach: listeners, services and the ports behind them."""
