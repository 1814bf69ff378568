"""Rules on one fact, or on the faults, of each shared file system."""

from gpuinfra.rules.fault_findings import judge_rule_faults
from gpuinfra.rules.rule import FactMessages, Rule, each_file_system, fact_check, row_check

FILE_SYSTEM_ENCRYPTED = Rule(
    id="file-system-encrypted",
    family="security",
    title="File systems are encrypted at rest",
    why="Data and checkpoints on a shared file system outlive the machines that wrote them.",
    fix="recreate it with encrypted: true (EFS); other file systems are always encrypted",
    source="https://docs.aws.amazon.com/efs/latest/ug/encryption-at-rest.html",
    check=fact_check(
        each_file_system,
        lambda files: files.encrypted,
        good="encrypted at rest",
        bad="it is not declared as encrypted, and can't be encrypted later",
        unknown="its encryption at rest is unknown",
    ),
    alone=True,
)

SHARED_STORAGE_SETTINGS = Rule(
    id="shared-storage-settings",
    family="hygiene",
    title="Parallel file system settings are valid",
    why="Sizes come in steps, throughputs in tiers, and not every deployment type supports "
    "every option.",
    fix="choose one of the values that the message allows",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    check=row_check(
        each_file_system,
        lambda files: judge_rule_faults(
            files.subject,
            files.faults,
            "shared-storage-settings",
            FactMessages(
                good="its deployment type, size, throughput and links are valid together",
                unknown="its settings are not known yet",
            ),
        ),
    ),
    alone=True,
)

SHARED_STORAGE_ZONE = Rule(
    id="shared-storage-zone",
    family="fabric",
    title="Parallel file systems are in their machines' zone",
    why="Traffic between zones is slower, and each byte is billed in both directions.",
    fix="put it in the machines' subnet",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html",
    check=fact_check(
        each_file_system,
        lambda files: files.one_zone,
        good="it is in its machines' zone",
        bad="it is in a different zone from its machines",
        unknown="the machines that mount it, or their zones, are unknown",
    ),
    level="advisory",
)
