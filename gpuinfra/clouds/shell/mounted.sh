units=()
for unit in /etc/systemd/system/gpuinfra-mount-*.service; do units+=("${unit##*/}"); done
systemctl start "${units[@]}"
