"""Find the type of a folder's file system: the system reports no events for changes made on another machine."""

import os
import re

REMOTE = frozenset(
    {
        "9p",  # WSL, QEMU, containers in a virtual machine
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "fuse.ceph",
        "fuse.ceph-fuse",
        "fuse.davfs2",
        "fuse.glusterfs",
        "fuse.gvfsd-fuse",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "fuse.vmhgfs-fuse",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "prl_fs",  # Parallels
        "smb3",
        "smbfs",
        "vboxsf",  # VirtualBox
        "virtiofs",
        "vmhgfs",  # VMware
    }
)
"""The Linux names of the types of file systems that other machines, or the host of this machine, write to."""

_MOUNTS = "/proc/self/mountinfo"
_ESCAPED = re.compile(rb"\\([0-7]{3})")


def is_remote(folder: str) -> bool:
    """Return whether the folder at this real path is on a file system that other machines write to.

    Return False on a system without `/proc`.
    """
    try:
        with open(_MOUNTS, "rb") as mounts:
            return kind_of(os.fsencode(folder), mounts.read()) in REMOTE
    except OSError:
        return False


def kind_of(folder: bytes, mountinfo: bytes) -> str:
    """Return the type of the file system that a folder is on, from the text of `mountinfo` (see proc(5)).

    The deepest mount point above the folder counts. If several mounts share that point, the last one counts.
    """
    deepest, kind = b"", ""
    for line in mountinfo.splitlines():
        before, _, after = line.partition(b" - ")
        fields = before.split(b" ")
        if len(fields) < 5:
            continue
        point = _ESCAPED.sub(lambda match: bytes([int(match[1], 8)]), fields[4])
        if len(point) >= len(deepest) and (folder + b"/").startswith(point.rstrip(b"/") + b"/"):
            deepest, kind = point, os.fsdecode(after.split(b" ")[0])
    return kind
