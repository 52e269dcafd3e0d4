// Modules of game files, which run in the worker of the engine, beside it. They are strangers': a
// module gets nothing but a function that does nothing, and numbers and bytes are all that is taken
// from it.

/** The order of `Call::ALL` in crates/module/src/wire.rs. */
const CALLS = [
  "config",
  "deal",
  "start",
  "step",
  "legal",
  "check",
  "view",
  "text",
  "decide",
  "sample",
  "playout",
  "corpus",
  "bot",
];
const PREFIX = "leitai_game_1_";
/** What begins the names of mutable globals (crates/guest/src/module.rs). */
const GLOBAL = "leitai global ";

/** Why a call failed (crates/wasm/src/page_module.rs). */
const UNREACHABLE = 1;
const TOO_DEEP = 2;
const TRAP = 3;

interface Running {
  exports: WebAssembly.Exports;
  memory: WebAssembly.Memory;
  globals: WebAssembly.Global<"i32" | "i64">[];
}

/** The modules of a worker, and the functions by which the engine calls them. */
export class GuestModules {
  private readonly modules: WebAssembly.Module[] = [];
  private readonly running = new Map<number, Running>();
  private next = 0;

  /** `engine`: the memory of the engine, once it runs. */
  constructor(private readonly engine: () => WebAssembly.Memory) {}

  /** Takes a module; its number. */
  add(module: WebAssembly.Module): number {
    return this.modules.push(module) - 1;
  }

  readonly imports = {
    guest_start: (number: number): number => {
      try {
        this.running.set(this.next, startModule(this.modules[number]!));
        return this.next++;
      } catch {
        return -1;
      }
    },
    guest_end: (instance: number): void => void this.running.delete(instance),
    guest_size: (instance: number): number => this.of(instance).memory.buffer.byteLength,
    guest_read: (instance: number, from: number, to: number, length: number): void =>
      this.engineBytes(to, length).set(this.guestBytes(instance, from, length)),
    guest_write: (instance: number, to: number, from: number, length: number): void =>
      this.guestBytes(instance, to, length).set(this.engineBytes(from, length)),
    guest_grow: (instance: number, pages: number): void =>
      void this.of(instance).memory.grow(pages),
    guest_globals: (instance: number, to: number): void =>
      this.of(instance).globals.forEach(({ value }, at) =>
        this.putNumber(to + 8 * at, typeof value === "bigint" ? value : BigInt(value)),
      ),
    guest_set_globals: (instance: number, from: number): void =>
      this.of(instance).globals.forEach((global, at) => {
        const bits = new DataView(this.engine().buffer).getBigUint64(from + 8 * at, true);
        global.value =
          typeof global.value === "bigint"
            ? BigInt.asIntN(64, bits)
            : Number(BigInt.asIntN(32, bits));
      }),
    guest_place: (instance: number, length: number, to: number): number =>
      this.callInto(instance, "input", to, length),
    guest_call: (instance: number, call: number, to: number): number =>
      this.callInto(instance, CALLS[call]!, to),
    guest_clock: (): number => performance.now(),
  };

  private of(instance: number): Running {
    return this.running.get(instance)!;
  }

  private guestBytes(instance: number, from: number, length: number): Uint8Array {
    return new Uint8Array(this.of(instance).memory.buffer, from >>> 0, length >>> 0);
  }

  private engineBytes(from: number, length: number): Uint8Array {
    return new Uint8Array(this.engine().buffer, from >>> 0, length >>> 0);
  }

  private putNumber(to: number, value: bigint): void {
    new DataView(this.engine().buffer).setBigUint64(to, BigInt.asUintN(64, value), true);
  }

  /** Calls a function and leaves its value there; 0, or why it failed. */
  private callInto(instance: number, name: string, to: number, ...values: number[]): number {
    try {
      const found = this.of(instance).exports[PREFIX + name] as (...values: number[]) => unknown;
      const value = found(...values);
      this.putNumber(to, typeof value === "bigint" ? value : BigInt(Number(value) >>> 0));
      return 0;
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) return TOO_DEEP;
      return error.message.startsWith("unreachable") ? UNREACHABLE : TRAP;
    }
  }
}

function startModule(module: WebAssembly.Module): Running {
  const isKnown = ({ module, name, kind }: WebAssembly.ModuleImportDescriptor) =>
    module === "leitai" && name === "log" && kind === "function";
  if (!WebAssembly.Module.imports(module).every(isKnown)) throw new Error("it imports more");
  const { exports } = new WebAssembly.Instance(module, { leitai: { log: () => undefined } });
  const { memory, _initialize } = exports;
  if (!(memory instanceof WebAssembly.Memory)) throw new Error("it has no memory");
  if (typeof _initialize === "function") _initialize();
  const names = Object.keys(exports).filter((name) => name.startsWith(GLOBAL));
  return { exports, memory, globals: names.map((name) => exports[name] as Running["globals"][0]) };
}
