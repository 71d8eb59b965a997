// Our words on built-in types, as `kubectl explain` shows them. An entry point of its own: only what answers OpenAPI requests loads it.
export {
  describedSchema,
  descriptionsVersion,
  fieldDescription,
  objectDescriptions,
  typeDescription,
} from "./descriptions.js";
