// Checks values that people wrote, and names every place that is wrong. Small enough to cost nothing when a cluster starts.
import {
  durationToMilliseconds,
  type FieldError,
  fieldError,
  isObject,
  isQuantity,
  parseDuration,
} from "@kubewright/api";

/** Adds to `errors` what is wrong with a value at a path. */
export type Check = (value: unknown, path: string, errors: FieldError[]) => void;

const typed =
  (what: string, test: (value: unknown) => boolean): Check =>
  (value, path, errors) => {
    if (!test(value)) errors.push(fieldError.typeInvalid(path, printable(value), `must be ${what}`));
  };

export const text: Check = typed("a text", (value) => typeof value === "string");
export const flag: Check = typed("true or false", (value) => typeof value === "boolean");
export const callable: Check = typed("a function", (value) => typeof value === "function");

export const integer = (least: number, most: number): Check =>
  typed(
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number of at least ${least}`
      : `a whole number from ${least} to ${most}`,
    (value) => typeof value === "number" && Number.isInteger(value) && value >= least && value <= most,
  );

/** Milliseconds of a duration that was checked. */
export const milliseconds = (value: number | string): number =>
  typeof value === "number" ? value : durationToMilliseconds(value);

export const duration: Check = (value, path, errors) => {
  const what = 'must be a duration such as "1.5s" or "2m", or milliseconds';
  if (typeof value === "number" ? value >= 0 : isDuration(value)) return;
  errors.push(fieldError.invalid(path, printable(value), what));
};

function isDuration(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return parseDuration(value) >= 0n;
  } catch {
    return false;
  }
}

export const quantity: Check = (value, path, errors) => {
  if ((typeof value === "string" || typeof value === "number") && isQuantity(String(value))) return;
  errors.push(fieldError.invalid(path, printable(value), 'must be a quantity such as "250m" or "64Mi"'));
};

export const listOf =
  (item: Check): Check =>
  (value, path, errors) => {
    if (!Array.isArray(value)) errors.push(fieldError.typeInvalid(path, printable(value), "must be a list"));
    else for (const [at, each] of value.entries()) item(each, `${path}[${at}]`, errors);
  };

export const textMap: Check = (value, path, errors) => {
  if (!isObject(value)) errors.push(fieldError.typeInvalid(path, printable(value), "must be a map of texts"));
  else for (const [key, each] of Object.entries(value)) text(each, `${path}[${key}]`, errors);
};

/** An object with no fields but these; `undefined` means absent. */
export const shape = (fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check => {
  const known = new Map(Object.entries(fields));
  return (value, path, errors) => {
    if (!isObject(value)) {
      errors.push(
        fieldError.typeInvalid(path, printable(value), `must have some of: ${[...known.keys()].join(", ")}`),
      );
      return;
    }
    for (const [name, each] of Object.entries(value)) {
      const check = known.get(name);
      if (!check) errors.push(fieldError.notSupported(`${path}.${name}`, name, [...known.keys()]));
      else if (each !== undefined) check(each, `${path}.${name}`, errors);
    }
    for (const name of required)
      if (value[name] === undefined) errors.push(fieldError.required(`${path}.${name}`));
  };
};

/** The first form whose kind of value it is; the error for other values lists all forms. */
export const either =
  (what: string, ...forms: readonly (readonly [test: (value: unknown) => boolean, check: Check])[]): Check =>
  (value, path, errors) => {
    const form = forms.find(([test]) => test(value));
    if (form) form[1](value, path, errors);
    else errors.push(fieldError.invalid(path, printable(value), `must be ${what}`));
  };

export const anything: Check = () => undefined;

/** Errors show values as JSON, which functions and big integers are not. */
function printable(value: unknown): unknown {
  if (typeof value === "function") return "a function";
  return typeof value === "bigint" || typeof value === "symbol" ? String(value) : (value ?? null);
}
