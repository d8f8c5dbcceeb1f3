#!/usr/bin/env python3
"""A bill of materials (SPDX 2.3, JSON) of a program and of the Debian packages that it is made of.

  sbom.py PROGRAM [LICENCES]     reads names of libraries, one a line

Without lines it takes the shared libraries that the program loads. The packages' licences are
copied into the folder LICENCES.
"""
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

LICENCE = "NOASSERTION"  # Debian's words about licences are files, and not SPDX's names


def said(*words):
    """Return what a command prints."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def loaded(program):
    """Return the shared libraries that a program loads."""
    return re.findall(r"(?:=> )?(/\S+) \(0x", said("ldd", program))


def packages_of(paths):
    """Return the installed Debian package that has each file, None where there is none."""
    names = {path: (path, os.path.realpath(path), os.path.realpath(path).removeprefix("/usr"))
             for path in paths}
    # dpkg-query is asked once; it fails where one of the names is in no package
    found = subprocess.run(["dpkg-query", "-S", *{name for row in names.values() for name in row}],
                           capture_output=True, text=True).stdout
    owner = {path: packages.split(",")[0]
             for packages, path in re.findall(r"^(\S.*): (/.*)$", found, re.M)}
    return {path: next((owner[name] for name in row if name in owner), None)
            for path, row in names.items()}


def row_of(package):
    """Return what SPDX says of a Debian package."""
    name, version, source, arch, home = said(
        "dpkg-query", "-W", "-f",
        "${Package}\n${Version}\n${source:Package}\n${Architecture}\n${Homepage}",
        package).split("\n")
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name, "versionInfo": version, "sourceInfo": f"Debian's source package {source}",
        "supplier": "Organization: Debian", "homepage": home or "NOASSERTION",
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": LICENCE, "licenseDeclared": LICENCE, "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:deb/debian/{name}@{version}?arch={arch}"}],
    }


def own_row(program):
    """Return what SPDX says of the program itself."""
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return {
        "SPDXID": "SPDXRef-dmoc", "name": "dmoc",
        "versionInfo": said(program, "--version").split()[-1],
        "supplier": "Organization: the dmoc authors", "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "BSD-3-Clause", "licenseDeclared": "BSD-3-Clause",
        "copyrightText": "Copyright (c) 2026, the dmoc authors",
        "primaryPackagePurpose": "APPLICATION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
    }


def main(program, licences=None):
    """Print the bill; copy licences."""
    given = [] if sys.stdin.isatty() else sys.stdin.read().split()
    owners = packages_of(given or loaded(program))
    lost = [path for path, owner in owners.items() if not owner]
    if lost:
        sys.exit(f"sbom.py: no Debian package has {', '.join(lost)}")
    # the program, and what it is made of or loads
    dmoc = own_row(program)
    rows = [row_of(package) for package in sorted(set(owners.values()))]
    link = "STATIC_LINK" if given else "DYNAMIC_LINK"
    age = int(os.environ.get("SOURCE_DATE_EPOCH", os.path.getmtime(program)))
    bill = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"dmoc-{dmoc['versionInfo']}",
        "documentNamespace": f"urn:sha256:{dmoc['checksums'][0]['checksumValue']}",
        "creationInfo": {"created": f"{datetime.datetime.utcfromtimestamp(age).isoformat()}Z",
                         "creators": ["Tool: dmoc/packages/sbom.py"]},
        "packages": [dmoc] + rows,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": "SPDXRef-dmoc"}] +
                         [{"spdxElementId": "SPDXRef-dmoc", "relationshipType": link,
                           "relatedSpdxElement": row["SPDXID"]} for row in rows],
    }
    json.dump(bill, sys.stdout, indent=1)
    print()
    for row in rows if licences else []:
        shutil.copyfile(f"/usr/share/doc/{row['name']}/copyright", f"{licences}/{row['name']}.txt")


main(*sys.argv[1:])
