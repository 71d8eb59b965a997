// The part of a structural schema that CEL sees. Any JSONSchemaProps fits; keywords that rules do not read are left out.

/** One entry of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string | undefined;
  readonly messageExpression?: string | undefined;
  readonly reason?: string | undefined;
  readonly fieldPath?: string | undefined;
  readonly optionalOldSelf?: boolean | undefined;
}

/** A schema node as rules see it. */
export interface RuleSchema {
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly default?: unknown;
  readonly required?: readonly string[] | undefined;
  readonly maxLength?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly properties?: { readonly [name: string]: RuleSchema } | undefined;
  readonly additionalProperties?: RuleSchema | boolean | undefined;
  readonly items?: RuleSchema | readonly RuleSchema[] | undefined;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[] | undefined;
  readonly "x-kubernetes-int-or-string"?: boolean | undefined;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean | undefined;
  readonly "x-kubernetes-embedded-resource"?: boolean | undefined;
  readonly "x-kubernetes-list-type"?: string | undefined;
  readonly "x-kubernetes-list-map-keys"?: readonly string[] | undefined;
  readonly "x-kubernetes-map-type"?: string | undefined;
}
