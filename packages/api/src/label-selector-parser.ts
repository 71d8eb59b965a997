// Reads label selectors from queries (`app in (a, b),tier!=back,!canary`), with the words of Kubernetes' own parser
// when they are malformed.
import { joinFieldErrors } from "./field-error.js";
import {
  keyErrors,
  type LabelOperator,
  type LabelRequirement,
  validateRequirement,
} from "./label-requirement.js";

interface Token {
  readonly kind:
    | "identifier"
    | "end"
    | "in"
    | "notin"
    | "!"
    | "="
    | "=="
    | "!="
    | ">"
    | "<"
    | "("
    | ")"
    | ",";
  readonly text: string;
}

const operators: ReadonlyMap<Token["kind"], LabelOperator> = new Map([
  ["in", "in"],
  ["notin", "notin"],
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  [">", "gt"],
  ["<", "lt"],
]);
const kinds: ReadonlyMap<string, Token["kind"]> = new Map(
  (["in", "notin", "!", "=", "==", "!=", ">", "<", "(", ")", ","] as const).map((kind) => [kind, kind]),
);
const end: Token = { kind: "end", text: "" };

/** The requirements of a selector; throws a SyntaxError when it is malformed. */
export function parseRequirements(text: string): LabelRequirement[] {
  return new Parser(tokenize(text)).parse();
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /[ \t\r\n]*(==|!=|[=!(),><]|[^ \t\r\n=!(),><]+)/y;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const word = match[1] ?? "";
    tokens.push({ kind: kinds.get(word) ?? "identifier", text: word });
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    while (this.#peek().kind !== "end") {
      const { kind, text } = this.#peek();
      if (!isWord(kind) && kind !== "!") {
        throw new SyntaxError(`found '${text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      this.#separator();
    }
    return requirements;
  }

  #separator(): void {
    const separator = this.#next();
    if (separator.kind === "end") return;
    if (separator.kind !== ",") {
      throw new SyntaxError(`found '${separator.text}', expected: ',' or 'end of string'`);
    }
    const { kind, text } = this.#peek();
    if (!isWord(kind) && kind !== "!")
      throw new SyntaxError(`found '${text}', expected: identifier after ','`);
  }

  #requirement(): LabelRequirement {
    const isNegated = this.#peek().kind === "!";
    if (isNegated) this.#next();
    const { kind, text: key } = this.#next();
    if (!isWord(kind)) throw malformed(`found '${key}', expected: identifier`);
    const wrong = keyErrors(key, "<nil>");
    if (wrong.length > 0) throw malformed(joinFieldErrors(wrong));

    const after = this.#peek().kind;
    if (isNegated) return { key, operator: "!", values: [] };
    if (after === "end" || after === ",") return { key, operator: "exists", values: [] };
    const operator = this.#operator();
    const values = operator === "in" || operator === "notin" ? this.#values() : [this.#value()];
    const requirement: LabelRequirement = { key, operator, values };
    const errors = validateRequirement(requirement);
    if (errors.length > 0) throw malformed(joinFieldErrors(errors));
    return requirement;
  }

  #operator(): LabelOperator {
    const { kind, text } = this.#next();
    const operator = operators.get(kind);
    if (operator === undefined) throw malformed(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
    return operator;
  }

  #value(): string {
    const after = this.#peek().kind;
    if (after === "end" || after === ",") return "";
    const { kind, text } = this.#next();
    if (!isWord(kind)) throw malformed(`found '${text}', expected: identifier`);
    return text;
  }

  /** A list in parentheses; what is left out between commas is the empty value. */
  #values(): string[] {
    const open = this.#next();
    if (open.kind !== "(") throw malformed(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (!isWord(first.kind) && first.kind !== "," && first.kind !== ")") {
      throw malformed(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = new Set<string>();
    let isExpected = true;
    for (let token = this.#next(); token.kind !== ")"; token = this.#next()) {
      if (token.kind === ",") {
        if (isExpected) values.add("");
        isExpected = true;
      } else if (!isExpected) {
        throw malformed(`found '${token.text}', expected: ',' or ')'`);
      } else if (!isWord(token.kind)) {
        throw malformed(`found '${token.text}', expected: ',', or identifier`);
      } else {
        values.add(token.text);
        isExpected = false;
      }
    }
    if (isExpected) values.add("");
    return [...values].sort();
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? end;
  }

  #next(): Token {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }
}

/** `in` and `notin` are keys and values too: `in in (notin)`. */
function isWord(kind: Token["kind"]): boolean {
  return kind === "identifier" || kind === "in" || kind === "notin";
}

function malformed(text: string): SyntaxError {
  return new SyntaxError(`unable to parse requirement: ${text}`);
}
