// Operations as OpenAPI v3 and Swagger 2.0 write them. Parameters that all operations of a path share stand beside them.
import { createHash } from "node:crypto";
import { stringifyJson } from "@kubewright/api";
import type { Parameter } from "./operation-parameters.js";
import type { Operation, Paths } from "./operations.js";

type Json = Record<string, unknown>;

/** Paths as v3 documents have them. */
export const v3Paths = (paths: Paths): Json => mapped(paths, v3Operation, v3Parameter);

/** Paths as the Swagger document has them; parameters are those of `swaggerParameters`. */
export const swaggerPaths = (paths: Paths): Json => mapped(paths, swaggerOperation, swaggerReference);

function mapped(
  paths: Paths,
  write: (operation: Operation, parameters: readonly Parameter[]) => Json,
  writeParameter: (parameter: Parameter) => Json,
): Json {
  const items: Json = {};
  for (const path of Object.keys(paths).sort()) {
    const operations = paths[path] ?? [];
    const shared = sharedParameters(operations);
    const isShared = (parameter: Parameter): boolean => shared.includes(parameter);
    const item: Json = {};
    for (const operation of operations)
      item[operation.method] = write(
        operation,
        operation.parameters.filter((parameter) => !isShared(find(shared, parameter) ?? parameter)),
      );
    if (shared.length > 0) item["parameters"] = sorted(shared).map(writeParameter);
    items[path] = item;
  }
  return items;
}

const isSame = (a: Parameter, b: Parameter): boolean =>
  a === b || (a.name === b.name && a.in === b.in && a.description === b.description);

const find = (parameters: readonly Parameter[], wanted: Parameter): Parameter | undefined =>
  parameters.find((parameter) => isSame(parameter, wanted));

function sharedParameters([first, ...others]: readonly Operation[]): Parameter[] {
  if (!first) return [];
  return first.parameters.filter((parameter) =>
    others.every(({ parameters }) => find(parameters, parameter)),
  );
}

const sorted = (parameters: readonly Parameter[]): Parameter[] =>
  [...parameters].sort((a, b) => (a.name === b.name ? (a.in < b.in ? -1 : 1) : a.name < b.name ? -1 : 1));

function v3Operation(operation: Operation, parameters: readonly Parameter[]): Json {
  const { body } = operation;
  const reference = (schema: string): Json =>
    schema === "text" ? { type: "string" } : { $ref: `#/components/schemas/${schema}` };
  const content = (types: readonly string[], schema: string): Json =>
    Object.fromEntries([...types].sort().map((type) => [type, { schema: reference(schema) }]));
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    ...(parameters.length > 0 ? { parameters: sorted(parameters).map(v3Parameter) } : {}),
    ...(body
      ? {
          requestBody: {
            content: content(body.types, body.schema),
            ...(body.required ? { required: true } : {}),
          },
        }
      : {}),
    responses: responsesOf(operation, (schema) => ({ content: content(operation.produces, schema) })),
    ...extensions(operation),
  };
}

function swaggerOperation(operation: Operation, parameters: readonly Parameter[]): Json {
  const { body } = operation;
  const reference = (schema: string): Json =>
    schema === "text" ? { type: "string" } : { $ref: `#/definitions/${schema}` };
  const inBody = body && bodyReference(body);
  const all = [...(inBody ? [inBody] : []), ...sorted(parameters).map(swaggerReference)];
  return {
    description: operation.description,
    ...(operation.consumes ? { consumes: operation.consumes } : {}),
    produces: operation.produces,
    schemes: ["https"],
    tags: [operation.tag],
    operationId: operation.id,
    ...(all.length > 0 ? { parameters: all } : {}),
    responses: responsesOf(operation, (schema) => ({ schema: reference(schema) })),
    ...extensions(operation),
  };
}

const statusTexts: Readonly<Record<string, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

function responsesOf({ answers }: Operation, write: (schema: string) => Json): Json {
  const responses: Json = {};
  for (const [status, schema] of Object.entries(answers))
    responses[status] = { description: statusTexts[status], ...write(schema) };
  return { ...responses, "401": { description: "Unauthorized" } };
}

function extensions({ action, gvk }: Operation): Json {
  return {
    ...(action === undefined ? {} : { "x-kubernetes-action": action }),
    ...(gvk === undefined ? {} : { "x-kubernetes-group-version-kind": gvk }),
  };
}

function v3Parameter({ name, in: place, description, type }: Parameter): Json {
  const required = place === "path" ? { required: true } : {};
  return { name, in: place, description, ...required, schema: { type, uniqueItems: true } };
}

function swaggerParameter({ name, in: place, description, type }: Parameter): Json {
  const required = place === "path" ? { required: true } : {};
  return { uniqueItems: true, type, description, name, in: place, ...required };
}

/** Names depend on the kind, and are written where they are. */
const isInline = ({ name }: Parameter): boolean =>
  name === "name" || name === "dryRun" || name === "fieldValidation";

const swaggerReference = (parameter: Parameter): Json =>
  isInline(parameter) ? swaggerParameter(parameter) : { $ref: `#/parameters/${swaggerName(parameter)}` };

type Body = NonNullable<Operation["body"]>;

const bodyParameter = ({ schema, required }: Body): Json => ({
  name: "body",
  in: "body",
  ...(required ? { required: true } : {}),
  schema: { $ref: `#/definitions/${schema}` },
});

/** Bodies that many operations have. */
const isSharedBody = ({ schema }: Body): boolean => /meta\.v1\.(DeleteOptions|Patch)$/.test(schema);

const bodyReference = (body: Body): Json =>
  isSharedBody(body) ? { $ref: `#/parameters/${bodyName(body)}` } : bodyParameter(body);

const bodyName = (body: Body): string => hashedName("body", bodyParameter(body));

/** The parameters that references of these paths point to. */
export function swaggerParameters(paths: Paths): Json {
  const parameters: Json = {};
  for (const { parameters: own, body } of Object.values(paths).flat()) {
    if (body && isSharedBody(body)) parameters[bodyName(body)] = bodyParameter(body);
    for (const parameter of own)
      if (!isInline(parameter)) parameters[swaggerName(parameter)] = swaggerParameter(parameter);
  }
  return parameters;
}

const swaggerName = (parameter: Parameter): string => hashedName(parameter.name, parameter);

function hashedName(name: string, content: unknown): string {
  const hash = createHash("sha256").update(stringifyJson(content)).digest("base64url");
  return `${name}-${hash.slice(0, 8)}`;
}
