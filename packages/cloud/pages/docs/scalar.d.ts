declare module 'scalar' {
  /** The address of its script, which sets the variable `Scalar`. */
  const url: string;
  export default url;
}

/** https://scalar.com/products/api-references/configuration */
declare const Scalar: {
  createApiReference(selector: string, configuration: Readonly<Record<string, unknown>>): unknown;
};
