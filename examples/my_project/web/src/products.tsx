import { useEffect, useState } from "react";
import { searchProducts, type Product } from "./api";

/** Search box and results. */
export function ProductList() {
  const [query, setQuery] = useState("");
  const [products, setProducts] = useState<Product[]>([]);

  useEffect(() => {
    searchProducts(query).then(setProducts);
  }, [query]);

  return (
    <main>
      <input value={query} onChange={(event) => setQuery(event.target.value)} />
      {products.map((product) => (
        <article key={product.id} dangerouslySetInnerHTML={{ __html: product.description }} />
      ))}
    </main>
  );
}
