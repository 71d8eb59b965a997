// The rules of a schema, laid out like the schema: each node has the rules that stand there, and only nodes with rules at or below
// them exist. Building the tree finds all errors of the rules.
import { type FieldError, fieldError, type JSONSchemaProps, type ValidationRule } from "@kubewright/api";
import { costLimits } from "./budget.js";
import { type CompiledRule, compileRule } from "./compile-rule.js";
import { escapeFieldName } from "./field-names.js";
import type { SchemaRulesOptions } from "./program.js";
import { checkRule } from "./rule-checks.js";
import { costMessage, TotalCost } from "./rule-cost.js";
import { celTypeOf, itemSchema, maxRequestSize, valueSchema } from "./schema-type.js";
import type { CelType } from "./types.js";

/** A place in a schema with rules at it or below it. */
export interface RuleNode {
  readonly schema: JSONSchemaProps;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly items: RuleNode | undefined;
  readonly additionalProperties: RuleNode | undefined;
  readonly allOf: readonly RuleNode[];
}

/** The place of a node in the schema. */
interface Place {
  readonly path: string;
  /** The type of the values there; undefined where rules cannot see them. */
  readonly type: CelType | undefined;
  readonly isRoot: boolean;
  /** The number of such values in an object, or undefined when only its size bounds them. */
  readonly cardinality: number | undefined;
  /** The list above whose elements cannot be correlated. */
  readonly uncorrelatable: string | undefined;
  /** Kubernetes does not look at rules below `allOf` when a CRD is written. */
  readonly isReported: boolean;
}

/** The compiled rules of a schema, and what is wrong with those that are not. */
export interface RuleTree {
  readonly root: RuleNode | undefined;
  readonly errors: readonly FieldError[];
}

/** Compiles all rules of the schema of a whole object. */
export function buildRuleTree(
  schema: JSONSchemaProps,
  { path, invalid = [], compile = true, isDefault = false }: SchemaRulesOptions,
): RuleTree {
  const builder = new RuleTreeBuilder(invalid, compile, isDefault);
  const type = builder.hasRules(schema) ? celTypeOf(schema, { resource: !isDefault }) : undefined;
  const root = builder.build(schema, schema, {
    path,
    type,
    isRoot: true,
    cardinality: 1,
    uncorrelatable: undefined,
    isReported: true,
  });
  return { root, errors: builder.errors(path) };
}

/** Returns a function that says whether there is a rule at or below a schema; it looks at each schema once. */
function ruleFinder(): (schema: JSONSchemaProps) => boolean {
  const known = new Map<JSONSchemaProps, boolean>();
  const hasRules = (schema: JSONSchemaProps): boolean => {
    const answer = known.get(schema) ?? (isRuled(schema) || childSchemas(schema).some(hasRules));
    known.set(schema, answer);
    return answer;
  };
  return hasRules;
}

const isRuled = (schema: JSONSchemaProps): boolean => (schema["x-kubernetes-validations"]?.length ?? 0) > 0;

function childSchemas(schema: JSONSchemaProps): readonly JSONSchemaProps[] {
  const children = [itemSchema(schema), valueSchema(schema)].filter((child) => child !== undefined);
  return [...Object.values(schema.properties ?? {}), ...children, ...(schema.allOf ?? [])];
}

const isAtOrBelow =
  (path: string) =>
  ({ field }: FieldError): boolean =>
    field === path || field.startsWith(`${path}.`);

class RuleTreeBuilder {
  readonly #partErrors: FieldError[] = [];
  readonly #celErrors: FieldError[] = [];
  readonly #total = new TotalCost();
  readonly hasRules = ruleFinder();
  readonly #invalid: readonly FieldError[];
  readonly #compiles: boolean;
  readonly #isDefault: boolean;

  constructor(invalid: readonly FieldError[], compiles: boolean, isDefault: boolean) {
    this.#invalid = invalid;
    this.#compiles = compiles;
    this.#isDefault = isDefault;
  }

  errors(path: string): readonly FieldError[] {
    return [...this.#partErrors, ...this.#celErrors, ...this.#total.errors(path)];
  }

  /** `source` has the rules, `schema` describes the values: they differ below `allOf`. */
  build(source: JSONSchemaProps, schema: JSONSchemaProps, place: Place): RuleNode | undefined {
    if (!this.hasRules(source)) return undefined;
    const before = this.#partErrors.length;
    const additionalProperties = this.#values(source, schema, place);
    const properties = this.#properties(source, schema, place);
    const allOf: RuleNode[] = [];
    for (const part of source.allOf ?? []) {
      const node = this.build(part, schema, { ...place, isReported: false });
      if (node) allOf.push(node);
    }
    const items = this.#items(source, schema, place);
    const given = source["x-kubernetes-validations"] ?? [];
    const rulesPath = `${place.path}.x-kubernetes-validations`;
    for (const [index, rule] of given.entries()) {
      this.#partErrors.push(...checkRule(rule, schema, `${rulesPath}[${index}]`));
    }
    // Rules are not looked at while something below them is wrong in itself.
    const isWrongBelow = this.#partErrors.length > before || this.#invalid.some(isAtOrBelow(place.path));
    const isWrong = !this.#compiles || (isWrongBelow && !this.#isDefault);
    const rules = isWrong ? [] : this.#rules(given, schema, place, rulesPath);
    return { schema, rules, properties, items, additionalProperties, allOf };
  }

  #properties(source: JSONSchemaProps, schema: JSONSchemaProps, place: Place): ReadonlyMap<string, RuleNode> {
    const nodes = new Map<string, RuleNode>();
    for (const name of Object.keys(source.properties ?? {})) {
      const property = ownProperty(source, name);
      const own = ownProperty(schema, name);
      if (property === undefined || own === undefined || !this.hasRules(property)) continue;
      const node = this.build(property, own, {
        ...place,
        path: `${place.path}.properties[${name}]`,
        isRoot: false,
        type: propertyType(place.type, name, own),
      });
      if (node !== undefined) nodes.set(name, node);
    }
    return nodes;
  }

  #items(source: JSONSchemaProps, schema: JSONSchemaProps, place: Place): RuleNode | undefined {
    const items = itemSchema(source);
    const own = itemSchema(schema);
    if (items === undefined || own === undefined) return undefined;
    const isMap = schema["x-kubernetes-list-type"] === "map";
    return this.build(items, own, {
      ...place,
      path: `${place.path}.items`,
      isRoot: false,
      type: place.type?.kind === "list" ? place.type.params[0] : childType(own),
      cardinality: times(place.cardinality, schema.maxItems),
      uncorrelatable: place.uncorrelatable ?? (isMap ? undefined : place.path),
    });
  }

  #values(source: JSONSchemaProps, schema: JSONSchemaProps, place: Place): RuleNode | undefined {
    const values = valueSchema(source);
    const own = valueSchema(schema);
    if (values === undefined || own === undefined) return undefined;
    return this.build(values, own, {
      ...place,
      path: `${place.path}.additionalProperties`,
      isRoot: false,
      type: place.type?.kind === "map" ? place.type.params[1] : childType(own),
      cardinality: times(place.cardinality, schema.maxProperties),
    });
  }

  #rules(
    rules: readonly ValidationRule[],
    schema: JSONSchemaProps,
    place: Place,
    path: string,
  ): readonly CompiledRule[] {
    const { type } = place;
    if (type === undefined) {
      if (rules.length > 0) {
        const problem = "failed to construct type information for x-kubernetes-validations rules";
        const why = "unable to convert structural schema to CEL declarations";
        this.#celErrors.push(fieldError.internal(path, `internal error: ${problem}: ${why}`));
      }
      return [];
    }
    const compiled: CompiledRule[] = [];
    for (const [index, given] of rules.entries()) {
      const rule = compileNamed(given, schema, place, type);
      if (place.isReported) this.#report(rule, type, place, `${path}[${index}]`);
      compiled.push(rule);
    }
    return compiled;
  }

  #report(compiled: CompiledRule, type: CelType, place: Place, path: string): void {
    const { rule } = compiled;
    const cost = (compiled.program?.cost.max ?? 0) * (place.cardinality ?? fitting(type));
    this.#estimate("estimated rule cost", `${path}.rule`, cost);
    if (compiled.error !== undefined) {
      this.#celErrors.push(fieldError.invalid(`${path}.rule`, asGo(rule), compiled.error));
    }
    if (compiled.messageError !== undefined) {
      this.#celErrors.push(
        fieldError.invalid(`${path}.messageExpression`, asGo(rule), compiled.messageError),
      );
    } else if (compiled.message !== undefined) {
      this.#estimate(
        "estimated messageExpression cost",
        `${path}.messageExpression`,
        compiled.message.cost.max,
      );
    }
    this.#checkOldSelf(compiled, place, path);
  }

  #checkOldSelf({ usesOldSelf, rule }: CompiledRule, place: Place, path: string): void {
    if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      const problem = "may not be set if oldSelf is not used in rule";
      this.#celErrors.push(fieldError.invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, problem));
    }
    if (usesOldSelf && place.uncorrelatable !== undefined) {
      const problem = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
      this.#celErrors.push(fieldError.invalid(`${path}.rule`, rule.rule, problem));
    }
  }

  #estimate(what: string, path: string, cost: number): void {
    const limit = costLimits.estimatedPerRule;
    if (cost > limit) this.#celErrors.push(fieldError.forbidden(path, costMessage(what, cost, limit)));
    this.#total.add(path, cost);
  }
}

/** In what is said of a rule, the names of types begin at the schema that has the rule. */
function compileNamed(
  rule: ValidationRule,
  schema: JSONSchemaProps,
  place: Place,
  type: CelType,
): CompiledRule {
  const compiled = compileRule(rule, schema, type);
  const isFine = compiled.error === undefined && compiled.messageError === undefined;
  const named = isFine || place.isRoot ? undefined : childType(schema);
  return named === undefined ? compiled : compileRule(rule, schema, named);
}

function ownProperty({ properties }: JSONSchemaProps, name: string): JSONSchemaProps | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The type of a property, taken from the type of the object where that has it. */
function propertyType(
  parent: CelType | undefined,
  name: string,
  schema: JSONSchemaProps,
): CelType | undefined {
  const escaped = escapeFieldName(name);
  const declared = escaped === undefined ? undefined : parent?.fields?.().get(escaped)?.type;
  return declared ?? childType(schema);
}

function childType(schema: JSONSchemaProps): CelType | undefined {
  return celTypeOf(schema, { resource: schema["x-kubernetes-embedded-resource"] === true });
}

function times(cardinality: number | undefined, limit: number | undefined): number | undefined {
  return cardinality === undefined || limit === undefined ? undefined : cardinality * Math.max(0, limit);
}

/** The number of values of a type in one request, with a comma between them. */
function fitting(type: CelType): number {
  return Math.floor(maxRequestSize / ((type.minSerializedSize ?? 0) + 1));
}

/** The rule as the API server's own structure prints it in messages. */
function asGo(rule: ValidationRule): Readonly<Record<string, unknown>> {
  return {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}
