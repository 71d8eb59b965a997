export type { TableColumn } from "./column.js";
export { CustomColumns, type PrinterColumn } from "./custom-table.js";
export { humanDuration } from "./human-duration.js";
export { JsonPath } from "./json-path.js";
export { partialObjectMetadata, partialObjectMetadataList } from "./partial-metadata.js";
export {
  type IncludeObject,
  parseIncludeObject,
  type TableOptions,
  TableWriter,
  tableFor,
} from "./table.js";
