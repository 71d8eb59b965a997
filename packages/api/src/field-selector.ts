// Field selectors of queries (`status.phase=Running,spec.nodeName!=n1`). Which fields a kind can be selected by is
// not known here: a matcher is given the fields of an object as text.

/** One comparison of a field selector: a path, an operator, a value. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** The selectable fields of an object; an absent one counts as empty. */
export interface SelectableFields {
  readonly [field: string]: string | undefined;
}

/**
 * A parsed field selector.
 *
 * @example
 * FieldMatcher.parse("metadata.name=web").matches({ "metadata.name": "web" }); // true
 */
export class FieldMatcher {
  /** Matches every object. */
  static readonly everything: FieldMatcher = new FieldMatcher([]);

  /** All of them must hold. */
  readonly requirements: readonly FieldRequirement[];
  #conditions: ReadonlyMap<string, FieldCondition> | undefined;

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** Reads the selector of a query; throws a SyntaxError with Kubernetes' message when it is malformed. */
  static parse(text: string): FieldMatcher {
    const requirements: FieldRequirement[] = [];
    for (const term of splitTerms(text).sort()) {
      if (term === "") continue;
      const match = /!=|==?/.exec(term);
      if (!match) throw new SyntaxError(`invalid selector: '${text}'; can't understand '${term}'`);
      requirements.push({
        field: term.slice(0, match.index),
        operator: match[0] === "!=" ? "!=" : "=",
        value: unescapeFieldValue(term.slice(match.index + match[0].length)),
      });
    }
    return new FieldMatcher(requirements);
  }

  /** True when an object with these fields is selected. */
  matches(fields: SelectableFields): boolean {
    return this.matchesBy((field) => {
      const actual: unknown = fields[field];
      return typeof actual === "string" ? actual : "";
    });
  }

  /** The same where fields are looked up, each once. */
  matchesBy(read: (field: string) => string): boolean {
    this.#conditions ??= conditionsOf(this.requirements);
    for (const [field, { wanted, denied }] of this.#conditions) {
      const value = read(field);
      if (denied.has(value) || wanted.size > 1 || (wanted.size === 1 && !wanted.has(value))) return false;
    }
    return true;
  }

  /** The only value of `field` that can match, if the selector demands one. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((term) => term.field === field && term.operator === "=")?.value;
  }

  /** The query this was read from, in canonical form. */
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => field + operator + escapeFieldValue(value))
      .join(",");
  }
}

/** The requirements on one field: to equal each of these values, and none of those. */
interface FieldCondition {
  readonly wanted: Set<string>;
  readonly denied: Set<string>;
}

/** By field, so that a long selector is looked up in and not gone through for each object. */
function conditionsOf(requirements: readonly FieldRequirement[]): ReadonlyMap<string, FieldCondition> {
  const conditions = new Map<string, FieldCondition>();
  for (const { field, operator, value } of requirements) {
    const condition = conditions.get(field) ?? { wanted: new Set(), denied: new Set() };
    conditions.set(field, condition);
    (operator === "=" ? condition.wanted : condition.denied).add(value);
  }
  return conditions;
}

/** Splits at commas that are not escaped. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\[\s\S]?|[^\\,])+/g) ?? [];
}

/** A value as it must stand in a field selector: `\`, `,` and `=` escaped. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

/** The value that was escaped; throws a SyntaxError for other escapes and for what should have been escaped. */
export function unescapeFieldValue(text: string): string {
  return text.replace(/\\([\s\S]?)|[,=]/gu, (sequence, escaped: string | undefined) => {
    if (escaped === undefined) {
      const code = sequence.charCodeAt(0);
      throw new SyntaxError(`invalid field selector: unescaped character in value: ${code}`);
    }
    if (escaped === "" || !"\\,=".includes(escaped)) {
      throw new SyntaxError(`invalid field selector: invalid escape sequence: ${sequence}`);
    }
    return escaped;
  });
}
