/** The bytes are no protobuf message of the kind they should be. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}
