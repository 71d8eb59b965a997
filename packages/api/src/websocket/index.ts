export { acceptKey } from "./accept-key.js";
export { encodeFrame, type Frame, FrameDecoder, FrameError, opcode } from "./frame.js";
export { MessageAssembler } from "./message-assembler.js";
export { ServerWebSocket } from "./server-websocket.js";
