install_named() { # a package of the image's own repositories
  if command -v apt-get >/dev/null; then
    retry apt-get -qq -o DPkg::Lock::Timeout=300 update
    retry env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq -y -o DPkg::Lock::Timeout=300 install "$1"
  else
    retry dnf -q -y install "$1"
  fi
}
