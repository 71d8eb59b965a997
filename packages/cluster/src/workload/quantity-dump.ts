// A quantity as Go prints the struct behind it.

const decimal: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binary: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** Of a quantity as it is stored; what was never set is all zero. */
export function dumpQuantity(value: unknown): string {
  if (value === undefined || value === null) return struct(0n, 0, "", "");
  const text = String(value);
  if (text === "0") return struct(0n, 0, text, "DecimalSI");
  const [, sign = "", digits = "0", suffix = ""] = /^([+-]?)0*(\d*)(.*)$/.exec(text) ?? [];
  const number = BigInt(digits || "0");
  const amount = sign === "-" ? -number : number;
  const bits = binary[suffix];
  // The text is kept where it is canonical already.
  if (bits !== undefined)
    return struct(amount << BigInt(bits), 0, (number & 7n) === 0n ? "" : text, "BinarySI");
  const scale = decimal[suffix] ?? Number(suffix.slice(1));
  const isKept = scale % 3 === 0 && !digits.endsWith("000") && digits !== "";
  return struct(amount, scale, isKept ? text : "", suffix in decimal ? "DecimalSI" : "DecimalExponent");
}

function struct(value: bigint, scale: number, text: string, format: string): string {
  const amount = `i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}}`;
  const large = "d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>}";
  return `{${amount} ${large} s:(string)${text} Format:(resource.Format)${format}}`;
}
