/** What was asked for cannot be had; the text says why. */
export class AllocationError extends Error {
  override readonly name = "AllocationError";
}
