export { partialObjectMetadata, partialObjectMetadataList } from "./partial-metadata.js";
export {
  type IncludeObject,
  type PrinterColumn,
  type TableColumn,
  type TableOptions,
  type TableRow,
  tableFor,
} from "./table.js";
