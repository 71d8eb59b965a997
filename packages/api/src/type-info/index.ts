export { kindTypeInfo, namedTypeInfo } from "./builtin-type-info.js";
export { typeInfoFromSchema } from "./custom-type-info.js";
export {
  type DiscoveryGroup,
  type DiscoveryResource,
  type DiscoverySubresource,
  discoveryGroups,
} from "./discovery-groups.js";
export { embeddedSchema } from "./embedded-schema.js";
export {
  type OpenApiSchema,
  openApiSchema,
  openApiSchemaNames,
  openApiSchemas,
  schemaNameOf,
} from "./openapi-schema.js";
export { protobufMessage, protobufMessageOf } from "./protobuf-messages.js";
