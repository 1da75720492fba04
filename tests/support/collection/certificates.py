"""An authority of a test's own, and certificates by it for a service on the loopback."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Certified:
    """Files in PEM: of the authority, of a certificate for 127.0.0.1, and of its key, with a password and without."""

    authority: Path
    certificate: Path
    key: Path
    locked_key: Path


def certified(folder: Path) -> Certified:
    """Make an authority, and a certificate by it."""
    folder.mkdir()
    ours, theirs = generate_private_key(SECP256R1()), generate_private_key(SECP256R1())
    root = _signed("an authority", ours, ours, x509.BasicConstraints(ca=True, path_length=0), critical=True)
    names = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    files = Certified(*(folder / name for name in ("authority.pem", "certificate.pem", "key.pem", "locked.pem")))
    files.authority.write_bytes(root.public_bytes(Encoding.PEM))
    files.certificate.write_bytes(_signed("a service", theirs, ours, names).public_bytes(Encoding.PEM))
    for path, how in ((files.key, NoEncryption()), (files.locked_key, BestAvailableEncryption(b"password"))):
        path.write_bytes(theirs.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how))
    return files


def _signed(
    name: str,
    subject: EllipticCurvePrivateKey,
    issuer: EllipticCurvePrivateKey,
    extension: x509.ExtensionType,
    *,
    critical: bool = False,
) -> x509.Certificate:
    now = datetime.now(UTC)
    called, by = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, each)]) for each in (name, "an authority"))
    builder = x509.CertificateBuilder(by, called, subject.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    key_ids = (
        x509.SubjectKeyIdentifier.from_public_key(subject.public_key()),
        x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.public_key()),
    )
    for each in key_ids:
        builder = builder.add_extension(each, critical=False)
    return builder.add_extension(extension, critical=critical).sign(issuer, SHA256())
