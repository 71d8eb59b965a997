// Zod schemas as structural schemas.
export { type Conversion, toStructuralSchema } from "./convert.js";
