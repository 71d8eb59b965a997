/** A requested address or port could not be allocated; the message says why. */
export class AllocationError extends Error {
  override readonly name = "AllocationError";
}
