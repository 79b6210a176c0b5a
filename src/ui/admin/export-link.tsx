import { Download } from 'lucide-react';
import { buttonStyle } from '../button-style.ts';
import { addressInShop } from './shop-address.ts';

/** Downloads a list. The address always names its shop: the file does not. */
export function ExportLink(props: { address: string; tenantId: string; children: string }) {
  return (
    <a
      href={addressInShop(props.address, props.tenantId)}
      download
      className={buttonStyle('secondary', 'small')}
    >
      <Download className="size-4" aria-hidden="true" />
      {props.children}
    </a>
  );
}
