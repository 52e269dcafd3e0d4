// What Node.js has, for sources in TypeScript that bring no @types/node: everything is there, of any type.
declare var console: any, global: any, performance: any, process: any, require: any;
declare var __dirname: string, __filename: string;
declare var Buffer: any;
type Buffer = any;
declare namespace NodeJS {
  type Immediate = any;
  type ReadableStream = any;
  type Timeout = any;
  type Timer = any;
  type WritableStream = any;
}
declare var module: any, exports: any;
declare function setTimeout(run: (...of: any[]) => void, after?: number, ...of: any[]): any;
declare function setInterval(run: (...of: any[]) => void, every?: number, ...of: any[]): any;
declare function setImmediate(run: (...of: any[]) => void, ...of: any[]): any;
declare function clearTimeout(timer: any): void;
declare function clearInterval(timer: any): void;
declare function queueMicrotask(run: () => void): void;
declare module "assert";
declare module "buffer";
declare module "child_process";
declare module "crypto";
declare module "events";
declare module "fs";
declare module "fs/promises";
declare module "os";
declare module "path";
declare module "perf_hooks";
declare module "process";
declare module "readline";
declare module "stream";
declare module "string_decoder";
declare module "timers";
declare module "url";
declare module "util";
declare module "worker_threads";
declare module "zlib";
declare module "node:*";
