"""Tencent Cloud: machines and prices."""
