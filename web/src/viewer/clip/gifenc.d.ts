// The part of gifenc that is used here; the package has no types of its own.
declare module "gifenc" {
  /** Colours as red, green and blue from 0 to 255. */
  export type Palette = number[][];

  export interface FrameOptions {
    /** Of the first picture: the palette of all. */
    palette?: Palette | undefined;
    /** Milliseconds. */
    delay?: number;
    transparent?: boolean;
    transparentIndex?: number;
    dispose?: number;
    /** 0 repeats for ever. */
    repeat?: number;
  }

  export function GIFEncoder(): {
    writeFrame(index: Uint8Array, width: number, height: number, options: FrameOptions): void;
    finish(): void;
    bytes(): Uint8Array;
  };
  export function quantize(
    rgba: Uint8ClampedArray,
    maxColors: number,
    options: { format: "rgb565" },
  ): Palette;
  export function applyPalette(
    rgba: Uint8ClampedArray,
    palette: Palette,
    format: "rgb565",
  ): Uint8Array;
}
