// The rules custom resources live by: their schema, and what counts as a new generation.
import { deepEqual } from "@kubewright/api";
import type { ResourceSchema } from "@kubewright/schema";
import type { Strategy } from "../registry/strategy.js";
import { cloneJson, type DraftObject } from "../request/draft.js";
import type { StoredObject } from "../storage/index.js";

/** For writes to the object itself. With a status subresource, status is not theirs. */
export function customStrategy(schema: ResourceSchema, hasStatus: boolean): Strategy {
  return {
    hasGeneration: true,
    // An update must say which version it is based on.
    allowUnconditionalUpdate: false,
    ...(hasStatus ? { resetFields: ["status"] } : {}),
    prepareForCreate(object) {
      if (hasStatus) delete object["status"];
    },
    prepareForUpdate(object, old) {
      if (hasStatus) copyField(object, old, "status");
      if (!deepEqual(content(object), content(old)))
        object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    validateCreate: (object) => [...schema.validate(object)],
    validateUpdate: (object, old) => [...schema.validate(object, { old })],
  };
}

/** For writes through `/status`: only status changes, and no generation is counted. */
export function customStatusStrategy(schema: ResourceSchema): Strategy {
  return {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    resetFields: ["spec"],
    prepareForUpdate(object, old) {
      const { managedFields } = object.metadata;
      for (const field of Object.keys(object))
        if (field !== "status" && !(field in old)) delete object[field];
      for (const field of Object.keys(old)) if (field !== "status") copyField(object, old, field);
      if (managedFields) object.metadata.managedFields = managedFields;
      else delete object.metadata.managedFields;
    },
    validateUpdate: (object, old) => [...schema.validate(object, { old })],
  };
}

function copyField(object: DraftObject, old: StoredObject, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = cloneJson(old[field]);
}

function content({ metadata: _metadata, ...rest }: DraftObject | StoredObject): unknown {
  return rest;
}
