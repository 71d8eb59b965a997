/** Files that cannot be read as what they should be: damaged, of a newer version, or not all there. They are left as they are. */
export class DataError extends Error {
  override readonly name = "DataError";
}
