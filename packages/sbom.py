#!/usr/bin/env python3
"""A bill of materials (SPDX 2.3, JSON) of a program and of the Debian packages that it is made of.

  sbom.py PROGRAM [LICENCES]        reads names of libraries, one a line
  sbom.py --sources FOLDER VERSION  of sources: their files, and what Debian builds them from

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


def linked(program):
    """Return the shared libraries with which a program or a library is linked."""
    return re.findall(r"(?:=> )?(/\S+) \(0x", said("ldd", program))


def loaded(program):
    """Return the shared libraries that a program loads: at its start, and later by their names."""
    with open(program, "rb") as file:
        named = {name.decode() for name in re.findall(rb"\0(lib\w+\.so[.\d]*)(?=\0)", file.read())}
    # the first file of a name is the one that is loaded
    files = dict(reversed(re.findall(r"^\s(\S+) .*=> (\S+)$", said("/sbin/ldconfig", "-p"), re.M)))
    later = [files[name] for name in sorted(named) if name in files]
    return sorted({path for one in [program, *later] for path in [*linked(one), *later]})


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


def head_of(name, namespace, age, rows, relationships):
    """Return a document of SPDX."""
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": name, "documentNamespace": f"urn:sha256:{namespace}",
        "creationInfo": {"created": f"{datetime.datetime.utcfromtimestamp(age).isoformat()}Z",
                         "creators": ["Tool: dmoc/packages/sbom.py"]},
        "packages": rows,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": "SPDXRef-dmoc"}] + relationships,
    }


def files_of(folder):
    """Return what SPDX says of each file of a folder, in one order."""
    rows = []
    for at, folders, names in sorted(os.walk(folder)):
        folders.sort()
        for name in sorted(names):
            with open(os.path.join(at, name), "rb") as file:
                data = file.read()
            path = os.path.relpath(os.path.join(at, name), folder)
            rows.append({
                "SPDXID": f"SPDXRef-file-{len(rows)}", "fileName": f"./{path}",
                "checksums": [
                    {"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
                    {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}],
                "licenseConcluded": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"],
                "copyrightText": "NOASSERTION"})
    return rows


def built_from(folder):
    """Return rows of the Debian packages that debian/control builds from."""
    with open(os.path.join(folder, "debian/control"), encoding="utf-8") as file:
        words = re.search(r"^Build-Depends:(.*?)^\S", file.read(), re.M | re.S).group(1)
    names = sorted({re.match(r"[^\s(<\[]+", word.strip()).group() for word in words.split(",")
                    if word.strip()})
    return [{"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name,
             "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION",
             "filesAnalyzed": False, "licenseConcluded": LICENCE, "licenseDeclared": LICENCE,
             "copyrightText": "NOASSERTION"} for name in names]


def tell_sources(folder, version):
    """Print the bill of sources."""
    files, built = files_of(folder), built_from(folder)
    sums = "".join(sorted(row["checksums"][0]["checksumValue"] for row in files))
    dmoc = {
        "SPDXID": "SPDXRef-dmoc", "name": "dmoc", "versionInfo": version,
        "supplier": "Organization: the dmoc authors", "downloadLocation": "NOASSERTION",
        "filesAnalyzed": True, "packageVerificationCode":
            {"packageVerificationCodeValue": hashlib.sha1(sums.encode()).hexdigest()},
        "hasFiles": [row["SPDXID"] for row in files], "licenseInfoFromFiles": ["NOASSERTION"],
        "licenseConcluded": "BSD-3-Clause", "licenseDeclared": "BSD-3-Clause",
        "copyrightText": "Copyright (c) 2026, the dmoc authors",
        "primaryPackagePurpose": "SOURCE"}
    bill = head_of(f"dmoc-{version}-sources", hashlib.sha256(sums.encode()).hexdigest(),
                   int(os.environ["SOURCE_DATE_EPOCH"]), [dmoc] + built,
                   [{"spdxElementId": row["SPDXID"], "relationshipType": "BUILD_DEPENDENCY_OF",
                     "relatedSpdxElement": "SPDXRef-dmoc"} for row in built])
    json.dump(bill | {"files": files}, sys.stdout, indent=1)
    print()


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
    bill = head_of(f"dmoc-{dmoc['versionInfo']}", dmoc["checksums"][0]["checksumValue"], age,
                   [dmoc] + rows,
                   [{"spdxElementId": "SPDXRef-dmoc", "relationshipType": link,
                     "relatedSpdxElement": row["SPDXID"]} for row in rows])
    json.dump(bill, sys.stdout, indent=1)
    print()
    for row in rows if licences else []:
        shutil.copyfile(f"/usr/share/doc/{row['name']}/copyright", f"{licences}/{row['name']}.txt")


if sys.argv[1:2] == ["--sources"]:
    tell_sources(*sys.argv[2:4])
else:
    main(*sys.argv[1:])
