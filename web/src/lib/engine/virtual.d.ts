declare module "virtual:engine" {
  /** The address of the engine; null if the page is built without one. */
  const address: string | null;
  export default address;
}
