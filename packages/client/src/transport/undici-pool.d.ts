// undici ships types for its front door only; this is the one file behind it that is loaded by itself.
declare module "undici/lib/dispatcher/pool.js" {
  import type { Pool } from "undici";

  const pool: typeof Pool;
  export default pool;
}
