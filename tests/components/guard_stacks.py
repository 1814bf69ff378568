"""Stack files with guards, a deploy role and a dashboard."""

HEAD = """\
version: 1
name: lab
owner: ml-platform
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
"""
BUDGET = "budget: {per_month: 9000, notify: [a@example.com], on_breach: stop}\n"
DEV = 'training: {dev: {gpu: "L4:1"}}\n'
STOP = f"{HEAD}{BUDGET}{DEV}"
ALIVE = f'{HEAD}training: {{dev: {{gpu: "L4:1", time_to_live: 72h}}}}\n'
IDLE = f"""{HEAD}
monitoring: {{alarms: false, notify: [a@example.com]}}
training: {{dev: {{gpu: "L4:1", idle_stop: {{below: 5%, after: 30m}}}}}}
"""
WATCH = f"""{HEAD}
monitoring: {{dashboard: true, report: true, notify: [a@example.com]}}
training:
  run:
    instance: p5.48xlarge
    nodes: 2
    capacity: [{{capacity-block: {{reservation: cr-0123456789abcdef0, ends: 2026-12-01T11:30Z}}}}]
    duration: 24h
    checkpoints: {{bucket: data}}
inference:
  chat: {{gpu: "L4:1", replicas: 1..3, scale_on: {{gpu_utilization: 70%}}, image: a/b:1, port: 80}}
buckets: {{data: {{}}}}
"""
DEPLOY = f"{HEAD}{BUDGET}deploy_role: {{repository: example/lab, branch: main}}\n{DEV}"
