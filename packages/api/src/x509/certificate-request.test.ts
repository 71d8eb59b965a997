import { createPrivateKey, X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CertificateRequestError,
  createCertificateAuthority,
  createCertificateRequest,
  parseCertificateRequest,
} from "./index.js";

const validity = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2027, 0, 1) };
const asked = {
  commonName: "jane",
  organizations: ["dev", "ops"],
  hosts: ["a.example", "10.0.0.1", "fd00::1"],
};

describe("a certificate request", () => {
  it("says what is asked for, and is signed with the key it is for", () => {
    expect(parseCertificateRequest(createCertificateRequest(asked).request)).toMatchObject({
      commonName: "jane",
      organizations: ["dev", "ops"],
      dnsNames: ["a.example"],
      ipAddresses: ["10.0.0.1", "fd00:0:0:0:0:0:0:1"],
      emailAddresses: [],
      uris: [],
      isSigned: true,
    });
  });

  it("made by OpenSSL with an RSA key can be read", () => {
    const request = parseCertificateRequest(fromOpenssl);
    expect(request).toMatchObject({
      commonName: "system:node:n1",
      organizations: ["system:nodes"],
      dnsNames: ["n1"],
      ipAddresses: ["192.0.2.7"],
      emailAddresses: ["a@b.example"],
      uris: ["spiffe://x/y"],
      isSigned: true,
    });
    expect(request.publicKey.asymmetricKeyType).toBe("rsa");
  });

  it.each([
    ["nothing", "PEM block type must be CERTIFICATE REQUEST"],
    [
      "-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----",
      "the certificate request cannot be read: what is asked for is missing",
    ],
  ])("cannot be %j", (text, message) => {
    expect(() => parseCertificateRequest(text)).toThrow(new CertificateRequestError(message));
  });

  it("that is damaged anywhere is refused or found not to be signed", () => {
    const der = Buffer.from(
      createCertificateRequest(asked).request.replace(/-----[^-]+-----/g, ""),
      "base64",
    );
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(der);
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        const text = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString("base64")}\n-----END CERTIFICATE REQUEST-----`;
        expect(isAccepted(text)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

function isAccepted(text: string): boolean {
  try {
    return parseCertificateRequest(text).isSigned;
  } catch (error) {
    if (error instanceof CertificateRequestError) return false;
    throw error;
  }
}

describe("a CA signs a certificate request", () => {
  const authority = createCertificateAuthority({ commonName: "ca", ...validity });

  it("for its key, its names and the usages given", () => {
    const { request, key } = createCertificateRequest(asked);
    const usages = ["digital signature", "key encipherment", "client auth"];
    const certificate = new X509Certificate(
      authority.sign(parseCertificateRequest(request), { ...validity, usages }),
    );
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(certificate.subject.split("\n")).toEqual(["O=dev", "O=ops", "CN=jane"]);
    expect(certificate.subjectAltName).toBe(
      "DNS:a.example, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1",
    );
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(certificate.ca).toBe(false);
  });

  it("only when who asks holds the key", () => {
    const request = { ...parseCertificateRequest(createCertificateRequest(asked).request), isSigned: false };
    expect(() => authority.sign(request, { ...validity, usages: [] })).toThrow(
      "unable to verify certificate request signature",
    );
  });
});

const fromOpenssl = `-----BEGIN CERTIFICATE REQUEST-----
MIICtjCCAZ4CAQAwMDEVMBMGA1UECgwMc3lzdGVtOm5vZGVzMRcwFQYDVQQDDA5z
eXN0ZW06bm9kZTpuMTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAMcj
Y1lRQ4rRNEP2iZb+nU4aPNHID+rpCuORxH9QDpxEMnfVxf+qior/rPh/Yke58rKG
+VpQcn7P6Ur4S/PbcDpw0BWi+2cos57XfX4pKIr7vnvFm8tWt9zfUMiFZhKgaVVm
oAeD89YuO/dQjc0KgmvBFvL0B+tvrpABfUORwouW4w6PlDi2YHzBlP2dHlu577dN
a04BjymWowsWIXgOOb8eM0MfFoM70cFh/J5BTj8rH2NfF3U/DoSqhA1RiRWR6W//
G2ikrOyvl6N+Fp9xpXprCXy1WA8H6QCSs5B+U5Z1FxED5xl9MvbdsfwE8gogTTcV
MDQpGvYaeTtnhdon/qECAwEAAaBBMD8GCSqGSIb3DQEJDjEyMDAwLgYDVR0RBCcw
JYICbjGHBMAAAgeBC2FAYi5leGFtcGxlhgxzcGlmZmU6Ly94L3kwDQYJKoZIhvcN
AQELBQADggEBAC2Rt3SihNQGfVE9t+JeEnnPxotpoZJg8RLAPYNvygRlWCrBUrPd
147qpfXWLSfh+Embg/04zyFW7+zgpvLL3k3yzmpPWUM7DXe8qeun/z+L+wkmmr6S
dPkSenvCKhH++R4+/1q2MqDYozqgwHWNxMn/wo3QQIfIKxf8+RdR1VSC57EWhwLL
7ikFkZc9lbStoCGJhKlauWJdrMAIR0PyZ0alP30Y3t/UKqdtK8t9clGLiIpdA+sq
AOU/DjChkBH+b4kud0qAlHNdVq8rL69pCMVDLJJSdBebydXjkswCu7q+Y+QHPYBx
uOMmChvMdP7hnVeDEHZMn1i6LCHO/e+UjVc=
-----END CERTIFICATE REQUEST-----`;
