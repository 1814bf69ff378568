# Services that run beside the work for as long as the machine does.
run_always() { # service, what it does, arguments of the agent
  local service=$1 about=$2
  shift 2
  {
    printf '[Unit]\nDescription=%s\nWants=network-online.target\nAfter=network-online.target\n\n' \
      "$about"
    printf '[Service]\nExecStart=/usr/bin/env python3 /etc/gpuinfra/agent.py'
    printf ' %s' "$@"
    printf '\nRestart=on-failure\nRestartSec=10\n\n[Install]\nWantedBy=multi-user.target\n'
  } >"/etc/systemd/system/$service.service"
  systemctl daemon-reload
  systemctl enable --now "$service.service"
}
