retry_access() { # twenty minutes: a new role may take ten to be known everywhere
  local try
  for ((try = 1; try <= 44; try++)); do
    if "$@"; then return 0; fi
    sleep $((try < 6 ? try * 5 : 30))
  done
  echo "gpuinfra: gave up on: $*" >&2
  return 1
}
