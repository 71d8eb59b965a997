// zod types that have no structural schema, and what to write instead.

const insteadOf: Readonly<Record<string, string>> = {
  bigint: "JSON has no big integers; use z.int(), or z.string() beyond 2^53",
  symbol: "JSON has no symbols; use z.string()",
  undefined: "JSON has no undefined; use .optional()",
  null: "a field that can only be null says nothing; use .nullable() on a type",
  void: "JSON has no undefined; use .optional()",
  never: "a field that accepts nothing cannot be set; leave it out",
  nan: "JSON has no NaN; use z.number()",
  date: "objects hold times as text; use kube.time(), or z.iso.date() for a day",
  file: "objects hold JSON; use kube.bytes() for base64 text",
  map: "objects hold JSON; use z.record(z.string(), …)",
  set: "objects hold JSON; use kube.listSet(…)",
  tuple: "a list has items of one type; use z.object() with a field for each position",
  function: "objects hold JSON; a function cannot be stored",
  promise: "objects hold JSON; use the schema inside of the promise",
  transform:
    "the API server stores what was written; transform it in the controller, or in a defaulting webhook",
  pipe: "the API server stores what was written (no pipes, codecs, preprocessing or transforms); use the schema of the written value",
  catch: "the API server rejects invalid values instead of replacing them; use .default()",
  success: "the outcome of parsing cannot be stored; use z.boolean()",
};

/** Why a kind of zod schema is refused. */
export function reasonToRefuse(type: string): string {
  return insteadOf[type] ?? `z.${type}() cannot be said in a CustomResourceDefinition`;
}
