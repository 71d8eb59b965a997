export { kindFacts, typeFacts } from "./builtin-facts.js";
export { factsFromSchema } from "./custom-facts.js";
export {
  type DiscoveryGroup,
  type DiscoveryResource,
  type DiscoverySubresource,
  discoveryGroups,
} from "./discovery-groups.js";
export { embeddedSchema } from "./embedded-schema.js";
export { type OpenApiSchema, openApiSchema, openApiSchemaNames, openApiSchemas } from "./openapi-schema.js";
export { protobufMessage, protobufMessageOf } from "./protobuf-messages.js";
