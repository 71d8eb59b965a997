export { garbageCollector } from "./garbage-collector.js";
