// The Accept header, taken apart.

/** One alternative of an Accept header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The alternatives, best first; equal ones keep their order, exact types go before wildcards. What is no media type is skipped. */
export function parseAccept(header: string): readonly AcceptClause[] {
  return header
    .split(",")
    .flatMap((text) => parseClause(text) ?? [])
    .sort(byPreference);
}

function parseClause(text: string): AcceptClause | undefined {
  const [mediaType = "", ...rest] = text.split(";");
  const [type = "", subtype = "", ...tooMuch] = mediaType.trim().split("/");
  // A lone `*` stands for everything.
  if (tooMuch.length > 0 || (subtype === "" && type !== "*")) return undefined;
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const parameter of rest) {
    const [name = "", value = "", ...more] = parameter.split("=");
    if (value === "" || more.length > 0) continue;
    if (name.trim() === "q") quality = Number(value.trim()) || 0;
    else parameters.set(name.trim(), value.trim());
  }
  return { type, subtype: subtype || "*", quality, parameters };
}

function byPreference(a: AcceptClause, b: AcceptClause): number {
  if (a.quality !== b.quality) return b.quality - a.quality;
  return wildcards(a) - wildcards(b);
}

function wildcards({ type, subtype }: AcceptClause): number {
  if (type === "*") return 2;
  return subtype === "*" ? 1 : 0;
}
