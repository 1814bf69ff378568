# GPU metrics, to CloudWatch.
agent=/opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl
case $(uname -m) in aarch64) machine=arm64 ;; *) machine=amd64 ;; esac
install_package "$agent" \
  "https://amazoncloudwatch-agent.s3.amazonaws.com/ubuntu/$machine/latest/amazon-cloudwatch-agent.deb" \
  "https://amazoncloudwatch-agent.s3.amazonaws.com/amazon_linux/$machine/latest/amazon-cloudwatch-agent.rpm"
"$agent" -a fetch-config -m ec2 -s -c file:/etc/gpuinfra/cloudwatch-agent.json
