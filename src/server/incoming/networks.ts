import { BlockList, isIP } from 'node:net';

const pattern = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i;

/** An address such as 10.0.0.7, or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix] = pattern.exec(text) ?? [];
  const family = isIP(address);
  return family > 0 && (prefix === undefined || Number(prefix) <= (family === 6 ? 128 : 32));
}

/** A predicate for the addresses within any of the networks. */
export function withinNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [, address = '', prefix] = pattern.exec(network) ?? [];
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) > 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
