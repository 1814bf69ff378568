"""Ports at which a client that reaches a machine may log in, run code or read its data.

Servers on them ask for no password by default, or for one that is tried until it fits. As of
2026-11-26 (21, 139, 512 to 514, 623, 988, 2181, 5601, 9092, 9300 and 15672 by pages that were not
read anew: unverified); ports of internet services, for example 443 and 8080, are not here.
"""

from collections.abc import Callable, Iterator
from typing import Final, Literal

from gpuinfra.model import Known

_RAY: Final = "https://docs.ray.io/en/latest/ray-core/configure.html"
_KUBERNETES: Final = "https://kubernetes.io/docs/reference/networking/ports-and-protocols/"
_HADOOP: Final = (
    "https://hadoop.apache.org/docs/stable/hadoop-project-dist/hadoop-common/ClusterSetup.html"
)
_REMOTE: Final = "https://www.rfc-editor.org/rfc/rfc1282"

SOURCES: Final = {
    21: ("FTP", "https://www.rfc-editor.org/rfc/rfc959"),
    22: ("SSH", "https://www.rfc-editor.org/rfc/rfc4253"),
    23: ("Telnet", "https://www.rfc-editor.org/rfc/rfc854"),
    139: ("NetBIOS, with SMB on it", "https://www.rfc-editor.org/rfc/rfc1002"),
    445: ("SMB", "https://learn.microsoft.com/windows-server/storage/file-server/smb-overview"),
    512: ("rexec", _REMOTE),
    513: ("rlogin", _REMOTE),
    514: ("rsh", _REMOTE),
    873: ("rsync", "https://download.samba.org/pub/rsync/rsyncd.conf.5"),
    988: (
        "Lustre",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html",
    ),
    1433: (
        "SQL Server",
        "https://learn.microsoft.com/sql/sql-server/install/configure-the-windows-firewall-to-allow-sql-server-access",
    ),
    1521: (
        "Oracle Database",
        "https://docs.oracle.com/en/database/oracle/oracle-database/19/netag/configuring-and-administering-oracle-net-listener.html",
    ),
    2049: ("NFS", "https://www.rfc-editor.org/rfc/rfc7530"),
    2181: ("ZooKeeper", "https://zookeeper.apache.org/doc/current/zookeeperAdmin.html"),
    2375: ("Docker", "https://docs.docker.com/engine/daemon/remote-access/"),
    2379: ("etcd", "https://etcd.io/docs/latest/op-guide/configuration/"),
    2380: ("etcd", "https://etcd.io/docs/latest/op-guide/configuration/"),
    3306: ("MySQL", "https://dev.mysql.com/doc/mysql-port-reference/en/"),
    3389: (
        "Remote Desktop",
        "https://learn.microsoft.com/windows-server/remote/remote-desktop-services/remotepc/change-listening-port",
    ),
    4646: ("Nomad", "https://developer.hashicorp.com/nomad/docs/configuration"),
    5432: ("PostgreSQL", "https://www.postgresql.org/docs/current/runtime-config-connection.html"),
    5601: ("Kibana", "https://www.elastic.co/guide/en/kibana/current/settings.html"),
    5900: ("VNC", "https://www.rfc-editor.org/rfc/rfc6143"),
    5901: ("VNC", "https://tigervnc.org/doc/Xvnc.html"),
    5984: ("CouchDB", "https://docs.couchdb.org/en/stable/config/http.html"),
    5985: ("WinRM", "https://learn.microsoft.com/windows/win32/winrm/portal"),
    5986: ("WinRM", "https://learn.microsoft.com/windows/win32/winrm/portal"),
    6006: ("TensorBoard", "https://www.tensorflow.org/tensorboard/get_started"),
    6333: ("Qdrant", "https://qdrant.tech/documentation/security/"),
    6379: (
        "Redis and Ray's head",
        "https://redis.io/docs/latest/operate/oss_and_stack/management/security/",
    ),
    6443: ("Kubernetes' API server", _KUBERNETES),
    7077: ("Spark", "https://spark.apache.org/docs/latest/security.html"),
    7474: ("Neo4j", "https://neo4j.com/docs/operations-manual/current/configuration/ports/"),
    7860: ("Gradio", "https://www.gradio.app/docs/gradio/blocks"),
    8088: ("YARN", _HADOOP),
    8265: ("Ray's dashboard and jobs", _RAY),
    8500: ("Consul", "https://developer.hashicorp.com/consul/docs/reference/architecture/ports"),
    8501: (
        "Streamlit and TensorFlow Serving",
        "https://docs.streamlit.io/develop/api-reference/configuration/config.toml",
    ),
    8786: ("Dask", "https://docs.dask.org/en/stable/deploying-cli.html"),
    8787: (
        "RStudio and Dask's dashboard",
        "https://docs.posit.co/ide/server-pro/access_and_security/network_port_and_address.html",
    ),
    8888: ("Jupyter", "https://jupyter-server.readthedocs.io/en/latest/operators/security.html"),
    8889: ("Jupyter", "https://jupyter-server.readthedocs.io/en/latest/operators/security.html"),
    9000: ("ClickHouse", "https://clickhouse.com/docs/guides/sre/network-ports"),
    9042: (
        "Cassandra",
        "https://cassandra.apache.org/doc/latest/cassandra/getting-started/configuring.html",
    ),
    9092: ("Kafka", "https://kafka.apache.org/documentation/#security_overview"),
    9200: (
        "Elasticsearch",
        "https://www.elastic.co/guide/en/elasticsearch/reference/current/modules-network.html",
    ),
    9300: (
        "Elasticsearch",
        "https://www.elastic.co/guide/en/elasticsearch/reference/current/modules-network.html",
    ),
    9870: ("HDFS", _HADOOP),
    10001: ("Ray's client server", _RAY),
    10250: ("Kubelet", _KUBERNETES),
    10255: ("Kubelet", _KUBERNETES),
    11211: ("memcached", "https://docs.memcached.org/serverguide/"),
    11434: ("Ollama", "https://docs.ollama.com/api/authentication"),
    15672: ("RabbitMQ's management", "https://www.rabbitmq.com/docs/networking"),
    19530: ("Milvus", "https://milvus.io/docs/authenticate.md"),
    27017: ("MongoDB", "https://www.mongodb.com/docs/manual/reference/default-mongodb-port/"),
    29500: ("PyTorch's rendezvous", "https://docs.pytorch.org/docs/stable/elastic/run.html"),
}
"""What listens on each TCP port by default, and where that is written."""

_FLOODS: Final = (
    "https://www.cisa.gov/news-events/alerts/2014/01/17/udp-based-amplification-attacks"
)
UDP_SOURCES: Final = {
    69: ("TFTP", "https://www.rfc-editor.org/rfc/rfc1350"),
    111: ("the port mapper", _FLOODS),
    137: ("NetBIOS", _FLOODS),
    161: ("SNMP", _FLOODS),
    389: ("LDAP", _FLOODS),
    623: (
        "IPMI",
        "https://www.cisa.gov/news-events/alerts/2013/07/26/risks-using-intelligent-platform-management-interface-ipmi",
    ),
    1900: ("SSDP", _FLOODS),
    2049: ("NFS", "https://www.rfc-editor.org/rfc/rfc1813"),
    3389: ("Remote Desktop", SOURCES[3389][1]),
    11211: ("memcached", _FLOODS),
}
"""The same of UDP: what reads or changes data without a login, and what floods others by it."""


class UdpPort(int):
    """A port of UDP; all others are of TCP."""


PORTS: Final = tuple(SOURCES)
UDP_PORTS: Final = tuple(map(UdpPort, UDP_SOURCES))
EVERY: Final = (*PORTS, *UDP_PORTS)


def protocol_of(port: int) -> Literal["tcp", "udp"]:
    """Return the protocol of a port."""
    return "udp" if isinstance(port, UdpPort) else "tcp"


_NAMED: Final = 3


def open_port_words(firewall: str, source: str, lets: Callable[[int], Known]) -> Iterator[str]:
    """Name the ports that a firewall surely opens, for example `TCP 22 (SSH) of ssh is open to …`.

    Args:
        firewall: its name.
        source: to whom it opens them.
        lets: whether it opens a port.
    """
    ports = [port for port in PORTS if lets(port) is True]
    if len(ports) == len(PORTS):
        yield f"every TCP port of {firewall} is open to {source}"
        return
    udp = [port for port in UDP_PORTS if int(port) not in ports and lets(port) is True]
    for protocol, sources, opened_ports in (("TCP", SOURCES, ports), ("UDP", UDP_SOURCES, udp)):
        if opened_ports:
            names = ", ".join(f"{port} ({sources[port][0]})" for port in opened_ports[:_NAMED])
            more = f" and {len(opened_ports) - _NAMED} more" if len(opened_ports) > _NAMED else ""
            verb = "is" if len(opened_ports) == 1 else "are"
            yield f"{protocol} {names}{more} of {firewall} {verb} open to {source}"
