/** Node's errors as people who know Go's search for them. */
export function goErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === "ECONNREFUSED") return `dial tcp ${address}:${port}: connect: connection refused`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${error.message.split(" ").at(-1)}: no such host`;
  if (code === "ECONNRESET") return "EOF";
  if (code && /CERT|SIGNED|SIGNATURE|ALTNAME/.test(code))
    return `tls: failed to verify certificate: x509: ${error.message}`;
  return error.message;
}
