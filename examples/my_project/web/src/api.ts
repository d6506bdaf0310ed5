export interface Product {
  id: number;
  name: string;
  description: string;
  price: number;
}

/** Asks the service for products whose name holds the text. */
export async function searchProducts(text: string): Promise<Product[]> {
  const reply = await fetch(`/products/?q=${encodeURIComponent(text)}`);
  if (!reply.ok) {
    throw new Error(`search failed: ${reply.status}`);
  }
  return reply.json();
}
