// Types of Kubernetes' own objects that fields of the CRDs hold (PodSpec and what is in it), from
// the definitions of the embedded cluster; for client.ts beside this file.
import { refName } from '#src/devcluster/schema/definitions.ts';
import { isRecord } from '#src/devcluster/schema/record.ts';
import type { Schema } from '#src/devcluster/contract.ts';

/** Definitions that are a value and no object. */
const values: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'string | number',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'string | number',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'Record<string, unknown>',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'Record<string, unknown>',
};

/** `io.k8s.api.core.v1.PodSpec` to `PodSpec`. */
const shortOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** Remembers which definitions are named, and writes these and all that they name. */
export class BuiltIns {
  readonly #names = new Map<string, string>();

  /** The type by the name of its definition. Throws where two definitions have one short name. */
  named(name: string): string {
    const value = values[name];
    if (value !== undefined) return value;
    const short = shortOf(name);
    const other = this.#names.get(short);
    if (other !== undefined && other !== name) throw new Error(`${name} and ${other}`);
    this.#names.set(short, name);
    return short;
  }

  text(definitions: ReadonlyMap<string, Schema>): string {
    const texts: string[] = [];
    // Grows meanwhile: what a definition names is appended.
    for (const [short, name] of this.#names) {
      const definition = definitions.get(name);
      if (definition === undefined) throw new Error(`no definition named ${name}`);
      texts.push(this.#interface(short, name, definition));
    }
    return texts.join('\n');
  }

  #interface(short: string, name: string, definition: Schema): string {
    const { properties, required } = definition;
    const fields = Object.entries(isRecord(properties) ? properties : {}).map(([field, schema]) => {
      const isNeeded = Array.isArray(required) && required.includes(field);
      return `  ${field}${isNeeded ? '' : '?'}: ${this.#typeOf(schema, `${name}.${field}`)};`;
    });
    return [`/** ${name} */`, `export interface ${short} {`, ...fields, '}', ''].join('\n');
  }

  #typeOf(schema: unknown, where: string): string {
    if (!isRecord(schema)) throw new Error(`${where}: no schema`);
    const ref = refName(schema);
    if (ref !== undefined) return this.named(ref);
    const { type, items, additionalProperties } = schema;
    if (isRecord(items)) {
      const item = this.#typeOf(items, where);
      return item.includes('|') ? `(${item})[]` : `${item}[]`;
    }
    if (isRecord(additionalProperties)) {
      return `Record<string, ${this.#typeOf(additionalProperties, where)}>`;
    }
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'string' || type === 'boolean') return type;
    if (type === 'object') return 'Record<string, unknown>';
    throw new Error(`${where}: no type for ${JSON.stringify(schema)}`);
  }
}
