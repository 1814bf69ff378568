"""Alibaba Cloud: machines and prices."""
