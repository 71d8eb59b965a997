// Fields that do not change once they are set.
import { type AnnotationCheck, annotate } from "./annotation.js";
import { celFieldName } from "./cel-source.js";

/** The changes that an optional field may still have. */
export interface ImmutableOptions {
  /** An optional field may be set later, once. Default: it must be set, or left out, from the start. */
  readonly settable?: boolean | undefined;
  readonly message?: string | undefined;
}

/**
 * Forbids to change the value. An optional field can then be neither added nor removed after creation.
 *
 * @example
 * z.object({ storageClass: z.string().optional().check(immutable()) })
 */
export function immutable(options: ImmutableOptions = {}): AnnotationCheck {
  const message = options.message ?? "Value is immutable";
  return annotate({
    rules: [{ rule: "self == oldSelf", message }],
    parentRules: (field, optional) => {
      if (!optional) return [];
      const name = celFieldName(field);
      const presence = options.settable
        ? `!has(oldSelf.${name}) || has(self.${name})`
        : `has(self.${name}) == has(oldSelf.${name})`;
      return [{ rule: presence, message: `${field}: ${message}` }];
    },
  });
}
